import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../../format/format-count.ts';
import { clip, colouredTerminalText } from '../../../format/terminal-text.ts';
import { AnsiText } from './ansi-text.tsx';
import { Button } from '../../../ui/button.tsx';
import './text-block.css';

/**
 * Characters of a text that are drawn at once, more only on request: a line of a megabyte must not
 * freeze the page.
 */
const SHOWN_CHARS = 20_000;
const MOST_CHARS = 1_000_000;

/**
 * Output as text, never as markup: with its colours, without other escapes, truncated when long.
 */
export function TextBlock({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const shown = useMemo(
    () => clip(colouredTerminalText(text), all ? MOST_CHARS : SHOWN_CHARS),
    [text, all],
  );
  return (
    <div class="text-block">
      <pre dir="auto" tabIndex={0}>
        <AnsiText text={shown.text} />
      </pre>
      {shown.omitted > 0 && !all && (
        <Button small onClick={() => setAll(true)}>
          Show {formatCount(shown.omitted)} more characters
        </Button>
      )}
    </div>
  );
}
