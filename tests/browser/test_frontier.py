"""The frontier chart in a browser: points, caps, a point under a slider, points that stream in, all views."""

import re

import pytest

CELL = """
import asyncio
import ipywidgets
import numpy as np
from widgets import FrontierChart
from workbench.frontier.frontier import Frontier
from workbench.measures import Discernibility, KnowledgeGain, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, TCloseness
from workbench.frontier.recipe import Point, Recipe

rng = np.random.default_rng(0)

def point(recipe, privacy, utility):
    return Point(recipe, {"P_loss": privacy, "U_loss": utility, "DM": 1e4 / (0.1 + privacy), "A_know": privacy / 3})

points = [point(Recipe(Keep()), 2.7, 0.0), point(Recipe(Remove()), 0.0, 0.05)]
lines = {1.1: lambda u: KAnonymity(k=int(5 + 500 * u)), 1.0: lambda u: TCloseness(t=round(0.5 - 0.4 * u, 3))}
for worse, make in lines.items():
    for u in np.linspace(0, 1, 30):
        points.append(point(Recipe(Mondrian(), make(u)), worse * 2.3 * (1 - u) ** 2 + 0.01, worse * (0.004 + 0.03 * u)))
measures = [PrivacyLoss(), UtilityLoss(), Discernibility(), KnowledgeGain()]

def made():
    shown = FrontierChart(Frontier(points, measures))
    move = ipywidgets.IntSlider(0, 0, 29, description="move")
    move.observe(lambda change: shown.set_trait("moving", points[2 + change.new]), "value")
    said = ipywidgets.Label()

    def say(_=None):
        said.value = f"selected {shown.selected} caps {shown.caps} axes {shown.axes} view {shown.view}"

    shown.observe(say, ["selected", "caps", "axes", "view"])

    async def come():
        shown.total = len(points)
        for n in range(2, len(points) + 1, 2):
            shown.frontier = Frontier(points[:n], measures, complete=n == len(points))
            await asyncio.sleep(0.03)

    stream = ipywidgets.Button(description="stream")
    stream.on_click(lambda _: asyncio.get_running_loop().create_task(come()))
    complain = ipywidgets.Button(description="complain")
    complain.on_click(lambda _: shown._receive(None, {"kind": "select", "index": 99}, []))
    return ipywidgets.VBox([ipywidgets.HBox([move, stream, complain]), said, shown])
"""
POINTS = ".wb-chart svg g.mark-symbol path"


@pytest.fixture
def page(one_page):
    with one_page.fresh(CELL, POINTS) as page:
        yield page


def fitted(page, width, height=900):
    """The window is so wide, and the chart has followed."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("""() => {
      const width = one => document.querySelector(one).getBoundingClientRect().width;
      return Math.abs(width(".wb-chart svg") - width(".wb-chart")) < 2;
    }""")


def wait_for_text(page, text):
    page.wait_for_function("text => document.body.innerText.includes(text)", arg=text, timeout=10_000)


def spot(page, x, y):
    """Return the position of a point on the page, from the ticks of both axes."""
    return page.evaluate(
        """([x, y]) => {
          const svg = document.querySelector(".wb-chart svg");
          const along = (role, value, coordinate) => {
            const labels = [...svg.querySelectorAll(`.role-axis-label`)].map(g => [...g.querySelectorAll("text")]);
            const texts = labels.find(all => all.length && all[0].getAttribute("text-anchor") === role);
            const ticks = texts.map(t => {
              const box = t.getBoundingClientRect();
              const at = coordinate === "x" ? (box.left + box.right) / 2 : (box.top + box.bottom) / 2;
              return [Number(t.textContent), at];
            }).filter(([v, at]) => !Number.isNaN(v));
            const [a, b] = [ticks[0], ticks.at(-1)];
            return a[1] + (value - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
          };
          return [along("middle", x, "x"), along("end", y, "y")];
        }""",
        [x, y],
    )


def test_hover_click_and_keys_select(page):
    x, y = spot(page, 2.31, 0.004)  # the least private t-closeness
    page.mouse.move(x, y)
    page.wait_for_selector(".wb-tip:not([hidden]) >> text=Efficient: no other point")
    assert "t-closeness, t = 0.5 (mondrian)" in page.locator(".wb-tip:not([hidden])").inner_text()
    page.mouse.click(x + 5, y + 4)  # near is enough
    wait_for_text(page, "selected 32 ")
    page.locator(".wb-stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_text(page, "selected 3 ")
    page.locator("summary", has_text="as a table").click()
    assert page.locator(".wb-alternative tbody tr[aria-selected=true]").inner_text().startswith("k-anonymity, k = 22 ")
    page.locator(".wb-alternative tbody button", has_text="k-anonymity, k = 22 (").click()
    wait_for_text(page, "selected -1 ")


def test_what_hovering_says_is_inside_the_window_whatever_contains_the_chart(page):
    """JupyterLab contains its outputs strictly: "fixed" is relative to them there."""
    page.evaluate("""() => {
      const lab = document.querySelector(".wb-frontier").parentElement;
      Object.assign(lab.style, { contain: "layout paint", margin: "30px 0 0 50px" });
    }""")
    fitted(page, 900, 700)
    for label in ("everything kept", "all quasi-identifiers removed"):
        mark = page.locator(f".wb-chart path[aria-label^='{label}']").first
        for block in ("end", "start"):  # at the lower and at the upper border of the window
            mark.evaluate("(one, block) => one.scrollIntoView({ block })", block)
            page.mouse.move(1, 1)
            at = mark.bounding_box()
            x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
            page.mouse.move(x, y)
            page.wait_for_selector(".wb-tip:popover-open >> text=A baseline")
            tip = page.locator(".wb-tip:popover-open").bounding_box()
            assert (
                tip["x"] >= 0 and tip["x"] + tip["width"] <= 900 and tip["y"] >= 0 and tip["y"] + tip["height"] <= 700
            )
            across = min(abs(tip["x"] - x), abs(tip["x"] + tip["width"] - x))
            up = min(abs(tip["y"] - y), abs(tip["y"] + tip["height"] - y))
            assert across < 20 and up < 20  # beside the mouse


OVERLAPS = """() => {
  const every = selector => [...document.querySelectorAll(`.wb-chart ${selector}`)];
  const boxes = selector => every(selector).map(one => one.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const clash = all => all.filter((a, i) => all.slice(i + 1).some(b => !apart(a, b))).length;
  const values = boxes("g.mark-text.role-mark text").filter(box => box.width);
  const heads = boxes(".role-axis-label text").filter(box => box.width);
  return [values.length, clash(values), clash(heads), values.filter(v => heads.some(h => !apart(v, h))).length,
    every(".role-axis-label text").filter(one => one.textContent.includes("…")).length];
}"""


def test_the_heat_map_can_be_read(page):
    page.get_by_role("button", name="Heat map").click()
    wait_for_text(page, "view heat")
    for width in (1280, 760, 520):
        fitted(page, width)
        count, *wrong = page.evaluate(OVERLAPS)
        assert count >= 4 * 60 and wrong == [0, 0, 0, 0], (width, wrong)


def test_what_a_screen_reader_hears_of_marks_is_said(page):
    labels = "[...document.querySelectorAll('.wb-chart [aria-label]')].map(one => one.ariaLabel)"
    before = page.evaluate(labels)
    for name in ("All measures", "Heat map", "Frontier"):
        page.get_by_role("button", name=name, exact=True).click()
        drawn = f"before => {{ const now = {labels}; return now.length > 60 && `${{now}}` !== `${{before}}`; }}"
        page.wait_for_function(drawn, arg=before)
        before = heard = page.evaluate(labels)
        assert len(heard) > 60 and not [label for label in heard if re.search("undefined|null|NaN", label)]
    assert any(label == "everything kept: P_loss 2.7, U_loss 0" for label in heard)


def test_a_cap_is_dragged_and_typed(page):
    cap = page.get_by_label("cap: P_loss at most")
    cap.fill("1.5")
    cap.press("Enter")
    wait_for_text(page, "caps {'P_loss': 1.5}")
    wait_for_text(page, "Recommended under the cap: ")
    start, end = spot(page, 1.5, 0.02), spot(page, 0.8, 0.02)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] - 20, start[1], steps=3)
    page.mouse.move(*end, steps=8)
    page.mouse.up()
    page.wait_for_function("Math.abs(document.querySelector('.wb-axis input').value - 0.8) < 0.02")
    cap.fill("little")
    cap.press("Enter")
    wait_for_text(page, "the cap on P_loss is 'little'; enter a number")
    assert cap.input_value() == "little" and cap.get_attribute("aria-invalid") == "true"
    cap.fill("")
    cap.press("Enter")
    wait_for_text(page, "caps {}")


def test_the_slider_moves_one_point_and_points_stream_in(page):
    page.locator(".noUi-handle").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    wait_for_text(page, "Current: k-anonymity, k = 56 (mondrian)")
    page.evaluate("window.drawn = document.querySelector('.wb-chart svg')")
    page.get_by_role("button", name="stream").click()
    wait_for_text(page, "of 62 points so far")
    wait_for_text(page, "60 points: ")
    assert page.locator(".wb-frontier > .wb-wrong").text_content() == ""
    assert page.evaluate("window.drawn === document.querySelector('.wb-chart svg')")  # the same picture, other rows


def test_what_was_wrong_with_points_that_are_gone_goes_with_them(page):
    page.get_by_role("button", name="complain").click()
    wait_for_text(page, "this point no longer exists")
    page.get_by_role("button", name="stream").click()
    page.wait_for_function("() => !document.querySelector('.wb-frontier > .wb-wrong').textContent")


DOMAIN = """() => [...document.querySelectorAll(".wb-chart .role-axis-label text")].filter(one => one.textContent)
  .map(one => [one.textContent, one.getBoundingClientRect().toJSON()])"""


NUMBERS = f"() => ({DOMAIN})().map(([text]) => text).sort()"  # the tick labels of both axes


def becomes(page, script, before, same=False):
    """Wait until the result of a script differs from a value, or equals it."""
    is_it = f"before => (JSON.stringify(({script})()) === JSON.stringify(before)) === {str(same).lower()}"
    page.wait_for_function(is_it, arg=before)


def test_zoom_by_button_wheel_drag_and_key_and_back(page):
    whole = page.evaluate(NUMBERS)
    page.get_by_role("button", name="Zoom in").click()
    becomes(page, NUMBERS, whole)
    page.get_by_role("button", name="Show all again").click()
    becomes(page, NUMBERS, whole, same=True)
    x, y = spot(page, 1.0, 0.02)
    page.mouse.move(x, y)
    for held in ("Shift", "Control"):
        page.keyboard.down(held)
        page.mouse.wheel(0, -400)
        page.keyboard.up(held)
        becomes(page, NUMBERS, whole)
        before = page.evaluate(DOMAIN)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y - 40, steps=4)
        page.mouse.up()
        becomes(page, DOMAIN, before)
        page.locator(".wb-stage").focus()
        page.keyboard.press("0")
        becomes(page, NUMBERS, whole, same=True)


def test_a_logarithmic_axis_is_switched_on_and_its_ticks_do_not_collide(page):
    for name in ("P_loss", "U_loss"):
        page.get_by_label(f"logarithmic axis: {name}").check()
        wait_for_text(
            page, "all quasi-identifiers removed ← P_loss 0" if name == "P_loss" else "everything kept ↓ U_loss 0"
        )
    assert {"0.01", "0.1", "1"} <= set(page.evaluate(NUMBERS))
    for width in (1280, 800, 520):
        fitted(page, width)
        boxes = [box for _, box in page.evaluate(DOMAIN)]
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                across, up = (
                    a["right"] <= b["left"] or b["right"] <= a["left"],
                    a["bottom"] <= b["top"] or b["bottom"] <= a["top"],
                )
                assert across or up
    page.get_by_label("logarithmic axis: P_loss").uncheck()
    page.wait_for_function("!document.querySelector('.wb-chart').textContent.includes('← P_loss 0')")


def test_other_views_and_axes_and_a_narrow_page(page):
    for name, view in (("All measures", "parallel"), ("Heat map", "heat"), ("Frontier", "frontier")):
        page.get_by_role("button", name=name).click()
        wait_for_text(page, f"view {view}")
    page.get_by_label("Utility, upwards").select_option("DM")
    wait_for_text(page, "axes ['P_loss', 'DM']")
    page.get_by_label("Utility, upwards").select_option("U_loss")
    page.get_by_role("button", name="Pin to compare").click()
    wait_for_text(page, "pinned: t-closeness (mondrian)")
    page.get_by_role("button", name="Unpin").click()
    for width in (1100, 520):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            """() => {
              const place = document.querySelector(".wb-chart");
              return Math.abs(place.querySelector("svg").clientWidth - place.clientWidth) < 3;
            }"""
        )
