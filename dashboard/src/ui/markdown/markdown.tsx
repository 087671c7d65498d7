import { useMemo } from 'preact/hooks';
import { formatCount } from '../../format/format-count.ts';
import { readMarkdown } from './read-markdown.ts';
import { TokensView } from './tokens-view.tsx';
import './markdown.css';

/** Text that people and agents write as Markdown. Markup in it stays text; nothing is loaded. */
export function Markdown({ text, wrapped = false }: { text: string; wrapped?: boolean }) {
  const read = useMemo(() => readMarkdown(text, !wrapped), [text, wrapped]);
  return (
    <div class="markdown" dir="auto">
      {read.tokens === null ? (
        <p class="plain">{read.plain}</p>
      ) : (
        <TokensView tokens={read.tokens} depth={0} />
      )}
      {read.omitted > 0 && <p class="quiet">{formatCount(read.omitted)} more characters</p>}
    </div>
  );
}
