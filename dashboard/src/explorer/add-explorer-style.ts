const ELEMENT = 'openapi-explorer';

export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/**
 * Appends a style sheet to the API explorer's shadow root, after the explorer's own sheets, so that
 * it overrides them.
 */
export function addExplorerStyle(style: string): void {
  const sheet = sheetOf(style);
  void customElements.whenDefined(ELEMENT).then(() => {
    for (const { shadowRoot } of document.querySelectorAll(ELEMENT)) {
      shadowRoot?.adoptedStyleSheets.push(sheet);
    }
  });
}
