import { useState } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import type { DiffLine } from './parse-diff.ts';
import type { Review } from './review.ts';

const SIGNS = { add: '+', del: '−', same: ' ', note: ' ' } as const;
const COMMENT_MAX = 4_000;

type DiffLineProps = { line: DiffLine; path: string; review?: Review };

/** One line; in a review with what is said of it and the way to say something. */
export function DiffLineView({ line, path, review }: DiffLineProps) {
  const [writing, setWriting] = useState(false);
  const side = line.newNumber === null ? 'old' : 'new';
  const number = line.newNumber ?? line.oldNumber;
  const comments = review?.comments.filter(
    (comment) => comment.path === path && comment.side === side && comment.line === number,
  );
  return (
    <>
      <div class={`line ${line.kind}`}>
        <span class="number">{line.oldNumber ?? ''}</span>
        <span class="number">{line.newNumber ?? ''}</span>
        <span class="sign">{SIGNS[line.kind]}</span>
        <span class="code">{line.text}</span>
        {review !== undefined && number !== null && (
          <button
            type="button"
            class="line-comment"
            aria-label={`Comment line ${number} of ${path}`}
            onClick={() => setWriting(true)}
          >
            <Icon name="plus" size={12} />
          </button>
        )}
      </div>
      {comments?.map((comment) => (
        <div key={comment.id} class="comment-on-line">
          <Icon name="message" size={14} />
          <p class="grow wrap">{comment.text}</p>
          <button
            type="button"
            class="icon-button"
            aria-label="Remove the comment"
            onClick={() => review?.onRemove(comment.id)}
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      {writing && number !== null && (
        <CommentField
          onCancel={() => setWriting(false)}
          onDone={(text) => {
            review?.onAdd({ path, line: number, side, code: line.text, text });
            setWriting(false);
          }}
        />
      )}
    </>
  );
}

function CommentField(props: { onDone: (text: string) => void; onCancel: () => void }) {
  const [text, setText] = useState('');
  const done = () => text.trim() !== '' && props.onDone(text.trim());
  return (
    <div class="comment-on-line writing">
      <textarea
        class="field"
        rows={2}
        maxLength={COMMENT_MAX}
        aria-label="Comment on this line"
        placeholder="What should be different here?"
        autoFocus
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onCancel();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) done();
        }}
      />
      <button type="button" class="button small" disabled={text.trim() === ''} onClick={done}>
        Add comment
      </button>
      <button type="button" class="button small" onClick={props.onCancel}>
        Cancel
      </button>
    </div>
  );
}
