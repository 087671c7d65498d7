/** Of a glob with many braces no more spellings are tried; the rest of its braces are taken as they are. */
const MAX_SPELLINGS = 256;
const BRACES = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/su;

/**
 * Reads a glob, which then tells of a path whether it means it: `*` and `?` within a name, `**` over
 * folders, `{a,b}` for either; everything else means itself, and names that begin with a dot are names
 * like others. The time grows with both lengths multiplied and no faster: agents choose the paths.
 */
export function readGlob(glob: string): (path: string) => boolean {
  const spellings = spellingsOf(glob).map((spelling) =>
    spelling.split('/').map((part) => Array.from(part)),
  );
  return (path) => {
    const names = path.split('/').map((name) => Array.from(name));
    return spellings.some((parts) =>
      fitsSequence(names, parts, {
        isStar: (part) => part.join('') === '**',
        fits: (name, part) =>
          fitsSequence(name, part, {
            isStar: (character) => character === '*',
            fits: (character, wanted) => wanted === '?' || character === wanted,
          }),
      }),
    );
  };
}

/** Only the last star is ever tried again: what stands before it fits as early as it can. */
function fitsSequence<Item, Part>(
  items: readonly Item[],
  parts: readonly Part[],
  { isStar, fits }: { isStar(part: Part): boolean; fits(item: Item, part: Part): boolean },
): boolean {
  let [at, next] = [0, 0];
  let star: { next: number; at: number } | null = null;
  while (at < items.length) {
    const [item, part] = [items[at] as Item, parts[next]];
    if (part !== undefined && isStar(part)) {
      next += 1;
      star = { next, at };
    } else if (part !== undefined && fits(item, part)) {
      at += 1;
      next += 1;
    } else if (star !== null) {
      star.at += 1;
      ({ at, next } = star);
    } else return false;
  }
  return parts.slice(next).every(isStar);
}

function spellingsOf(glob: string): string[] {
  let spellings = [glob];
  for (;;) {
    const more = spellings.flatMap(withoutBraces);
    if (more.length === spellings.length || more.length > MAX_SPELLINGS) return spellings;
    spellings = more;
  }
}

function withoutBraces(glob: string): string[] {
  const [, before = '', inside, after = ''] = BRACES.exec(glob) ?? [];
  return inside?.split(',').map((one) => `${before}${one}${after}`) ?? [glob];
}
