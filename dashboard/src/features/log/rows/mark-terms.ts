const NAME = 'log-found';
const RANGES_MAX = 500;

/** Marks words in what is on screen, by the browser's own highlights: no element is touched. */
export function markTerms(root: Element | null, words: string): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(NAME);
  const wanted = words.trim().toLowerCase();
  if (root === null || wanted === '') return;
  // Live ranges would be kept up with every change of the page, also those that were let go.
  const ranges: StaticRange[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      // Letters that change their number in lower case would put the range beside its text.
      if (text.length !== node.nodeValue?.length || ranges.length >= RANGES_MAX) break;
      const endOffset = at + wanted.length;
      ranges.push(
        new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset }),
      );
    }
  }
  if (ranges.length > 0) CSS.highlights.set(NAME, new Highlight(...ranges));
}
