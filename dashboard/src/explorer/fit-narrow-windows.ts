const ELEMENT = 'openapi-explorer';

/** What the explorer's tables need on a phone: their cells below each other, long words broken. */
const NARROW = `@media (width < 600px) {
  table[role='presentation'],
  table[role='presentation'] :is(tbody, tr, td) {
    display: block;
    width: auto;
    max-width: none;
  }

  table[role='presentation'] td > div:first-of-type > div {
    justify-content: start !important;
    align-self: start;
  }

  td {
    overflow-wrap: anywhere;
  }
}`;

/** The explorer brings no layout of its own for narrow windows; its shadow root takes one more. */
export function fitNarrowWindows(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(NARROW);
  void customElements.whenDefined(ELEMENT).then(() => {
    for (const { shadowRoot } of document.querySelectorAll(ELEMENT)) {
      shadowRoot?.adoptedStyleSheets.push(sheet);
    }
  });
}
