"""A study as text."""

TEXT = """
study: Adult
data: {bundled: adult, drop_missing: true}
roles:
  quasi: [age, workclass, education, marital_status, race, sex]
  sensitive: occupation
hierarchies: {age: {builder: intervals, widths: [5, 10, 20, 40]}, education: bundled, sex: bundled}
recipes:
- {method: {name: mondrian}, model: {name: k-anonymity, k: [10, 50]}}
- method: {name: mondrian, publish: [generalized, bucketized]}
  model: [{name: k-anonymity, k: 5}, {name: t-closeness, t: [0.1, 0.2], distance: js}]
- {method: {name: remove, columns: [age]}}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}]
axes: [P_loss, U_loss]
caps: {P_loss: 0.15}
"""


def without(key, text=TEXT):
    return "\n".join(line for line in text.splitlines() if not line.startswith(key))
