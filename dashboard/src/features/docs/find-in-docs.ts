import { excerptAround, searchTerms, termRank } from '@switchyard/shared/text/term-rank';
import { DOC_PAGES } from './doc-pages.ts';

const FOUND_MAX = 12;
const EXCERPT_CHARS = 140;

type FoundDoc = { title: string; detail: string; link: string; rank: number };

/** Sections of the documentation that contain all terms, best match first. */
export function findInDocs(typed: string): FoundDoc[] {
  const terms = searchTerms(typed);
  if (terms.length === 0) return [];
  const found = DOC_PAGES.flatMap((page) =>
    page.sections.map(({ heading, slug, text }) => {
      const title = heading === page.title ? heading : `${page.title}: ${heading}`;
      const plain = text.replace(/[*_`|]|\]\([^)]*\)|\[|-{3,}/g, ' ');
      return {
        title,
        detail: excerptAround(terms, plain, EXCERPT_CHARS),
        link: `/docs/${page.name}#${slug}`,
        rank: termRank(terms, title, text),
      };
    }),
  );
  return found
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, FOUND_MAX);
}
