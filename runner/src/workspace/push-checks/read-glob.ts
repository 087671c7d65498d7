/** Spellings tried for a glob with many braces; further braces are taken literally. */
const MAX_SPELLINGS = 256;
const BRACES = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/su;

/**
 * Compiles a glob into a function that tests a path: `*` and `?` within a name, `**` across
 * folders, `{a,b}` for either; everything else is literal, and names with a leading dot are like
 * others. The time is at most the product of both lengths, because agents choose the paths.
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

/** Only the last asterisk is retried: everything before it matches as early as possible. */
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
