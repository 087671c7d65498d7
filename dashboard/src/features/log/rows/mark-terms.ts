const NAME = 'log-found';
const RANGES_MAX = 500;

/**
 * Highlights search terms on screen with the browser's own highlights, without changing elements.
 */
export function markTerms(root: Element | null, query: string): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(NAME);
  const wanted = query.trim().toLowerCase();
  if (root === null || wanted === '') return;
  // Live ranges would be updated with every change of the page, even discarded ones.
  const ranges: StaticRange[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      // Letters whose number changes in lower case would shift the range.
      if (text.length !== node.nodeValue?.length || ranges.length >= RANGES_MAX) break;
      const endOffset = at + wanted.length;
      ranges.push(
        new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset }),
      );
    }
  }
  if (ranges.length > 0) CSS.highlights.set(NAME, new Highlight(...ranges));
}
