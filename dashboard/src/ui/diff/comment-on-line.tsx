import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../marks/icon.tsx';
import type { LineComment } from './review.ts';
import { Button } from '../button.tsx';
import { IconButton } from '../icon-button.tsx';

const COMMENT_MAX = 4_000;

/** A person's unsent comment on a line. */
export function CommentOnLine(props: { comment: LineComment; onRemove: (id: number) => void }) {
  return (
    <div class="comment-on-line">
      <Icon name="message" size={14} />
      <p class="grow wrap">{props.comment.text}</p>
      <IconButton
        icon="close"
        label="Remove the comment"
        size={14}
        onClick={() => props.onRemove(props.comment.id)}
      />
    </div>
  );
}

/** The field for a comment on a line. */
export function CommentField(props: {
  /** The unfinished text from before. */
  begun: string;
  onText: (text: string) => void;
  onDone: (text: string) => void;
  onCancel: () => void;
  /** Sends this comment alone. */
  sending?: { label: string; onSend: (text: string) => void } | undefined;
}) {
  const { sending, begun } = props;
  const [text, setText] = useState(begun);
  const field = useRef<HTMLTextAreaElement>(null);
  // Browsers honour `autofocus` only in a new page or dialog, and the next key must already reach
  // the field.
  useLayoutEffect(() => {
    if (begun === '') field.current?.focus();
  }, []);
  const done = () => text.trim() !== '' && props.onDone(text.trim());
  return (
    <div class="comment-on-line writing">
      <textarea
        ref={field}
        class="field"
        rows={2}
        maxLength={COMMENT_MAX}
        aria-label="Comment on this line"
        placeholder="What should be different here?"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          props.onText(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onCancel();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) done();
        }}
      />
      {sending !== undefined && (
        <Button
          small
          primary
          disabled={text.trim() === ''}
          onClick={() => sending.onSend(text.trim())}
        >
          {sending.label}
        </Button>
      )}
      <Button small disabled={text.trim() === ''} onClick={done}>
        Add comment
      </Button>
      <Button small onClick={props.onCancel}>
        Cancel
      </Button>
    </div>
  );
}
