// Modules of widgets look at the page when they are loaded: an empty one suffices for their pure functions.
globalThis.document = { body: { dataset: {} } };
