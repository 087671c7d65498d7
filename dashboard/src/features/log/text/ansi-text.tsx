import Anser from 'anser';
import { useMemo } from 'preact/hooks';

/** The sixteen colours of terminals; others may be unreadable here. */
const COLOUR = /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/;
/** Text in more pieces than this, coloured or not, is shown without colours. */
const PIECES_MAX = 2_000;
const DECORATIONS = new Set<string>(['bold', 'dim', 'italic', 'underline', 'strikethrough']);

/**
 * Terminal output with its colours, drawn as elements: an escape can only select a colour or a
 * decoration, such as bold.
 */
export function AnsiText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <>
      {pieces.map((piece, position) =>
        piece.look === '' ? (
          piece.text
        ) : (
          <span key={position} class={piece.look}>
            {piece.text}
          </span>
        ),
      )}
    </>
  );
}

type Piece = { text: string; look: string };

function piecesOf(text: string): Piece[] {
  if (!text.includes('\u001b')) return [{ text, look: '' }];
  const options = { json: true, remove_empty: true, use_classes: true } as const;
  const pieces = Anser.ansiToJson(text, options).map(({ content, fg, decorations }) => ({
    text: content,
    look: [COLOUR.test(fg) && fg, ...decorations.filter((one) => DECORATIONS.has(one))]
      .filter(Boolean)
      .join(' '),
  }));
  if (pieces.length <= PIECES_MAX) return pieces;
  return [{ text: pieces.map((piece) => piece.text).join(''), look: '' }];
}
