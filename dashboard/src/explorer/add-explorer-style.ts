const ELEMENT = 'openapi-explorer';

export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** Adds a style sheet to the explorer: appended to its shadow root after its own. */
export function addExplorerStyle(style: string): void {
  const sheet = sheetOf(style);
  void customElements.whenDefined(ELEMENT).then(() => {
    for (const { shadowRoot } of document.querySelectorAll(ELEMENT)) {
      shadowRoot?.adoptedStyleSheets.push(sheet);
    }
  });
}
