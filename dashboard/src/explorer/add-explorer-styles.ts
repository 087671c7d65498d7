const ELEMENT = 'openapi-explorer';

export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** Gives the explorer further style sheets: its shadow root takes them after its own. */
export function addExplorerStyles(...styles: string[]): void {
  const sheets = styles.map(sheetOf);
  void customElements.whenDefined(ELEMENT).then(() => {
    for (const { shadowRoot } of document.querySelectorAll(ELEMENT)) {
      shadowRoot?.adoptedStyleSheets.push(...sheets);
    }
  });
}
