import { useMemo } from 'preact/hooks';
import { formatCount } from '../../format/format-count.ts';
import { readMarkdown } from './read-markdown.ts';
import { TokensView } from './tokens-view.tsx';
import './markdown.css';

/** Markdown by people, agents or ourselves (`isOurs`). HTML in it stays text; nothing is loaded. */
export function Markdown({ text, isOurs = false }: { text: string; isOurs?: boolean }) {
  const read = useMemo(() => readMarkdown(text, { isOurs }), [text, isOurs]);
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
