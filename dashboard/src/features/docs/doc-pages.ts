/** The documentation at the time of the build, by page name. */
const files = import.meta.glob<string>(['../../../../docs/*.md', '../../../../docs/install/*.md'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

type DocSection = { heading: string; slug: string; text: string };
type DocPage = { name: string; title: string; sections: DocSection[] };

export const DOC_PAGES: readonly DocPage[] = Object.entries(files).map(([path, text]) =>
  docPage(path.replace(/^.*\/|\.md$/g, ''), text),
);

/** A page divided at its headings; links between pages lead to pages here, images are left out. */
export function docPage(name: string, text: string): DocPage {
  const parts = withoutPictures(text)
    .split(/^(?=#{1,3} )/m)
    .filter((part) => part.trim() !== '');
  const sections = parts.map((part) => {
    const [, heading = name] = /^#{1,3} (.*)$/m.exec(part) ?? [];
    const plain = heading.replaceAll('`', '');
    const body = part.replace(/^#{1,3} .*\n?/, '').trim();
    return { heading: plain, slug: slugOf(plain), text: linkedHere(name, body) };
  });
  return { name, title: sections[0]?.heading ?? name, sections };
}

/** Anchor of a heading in GitHub's form. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}

function withoutPictures(text: string): string {
  return text.replace(/^!\[[^\]]*\]\([^)]*\)\n?/gm, '');
}

function linkedHere(name: string, text: string): string {
  return text
    .replace(/\]\((?:\.\.\/|install\/)?([a-z-]+)\.md(#[^)]*)?\)/g, '](/docs/$1$2)')
    .replace(/\]\((#[^)]*)\)/g, `](/docs/${name}$1)`);
}
