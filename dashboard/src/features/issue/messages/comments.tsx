import { actorText, type Reader, textForReader } from '@switchyard/shared/reasons/act-of-person';
import { asSentence } from '@switchyard/shared/reasons/as-sentence';
import { useQuery } from '@tanstack/react-query';
import { commentsQuery, useReader } from '../../../api/queries.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { Ago } from '../../../ui/marks/ago.tsx';
import { MessageBox, type MessageGoal } from './message-box.tsx';
import { QueryView } from '../../../ui/data/query-view.tsx';

type CommentsProps = {
  identifier: string;
  /**
   * Destinations of the message box below the comments; empty: the box is elsewhere on the page.
   */
  goals: readonly MessageGoal[];
};

/** The built-in tracker's comments. A person's comment reaches the agent. */
export function Comments({ identifier, goals }: CommentsProps) {
  const comments = useQuery(commentsQuery(identifier));
  const reader = useReader();
  return (
    <section class="side-section">
      <h2>Comments</h2>
      <QueryView query={comments} skeletonLines={2}>
        {(list) => (
          <ul class="comments">
            {list.comments.map((comment) => (
              <li key={comment.id} class={comment.byService ? 'by-service' : ''}>
                <p class="comment-head">
                  <strong>{authorText(comment.author, reader)}</strong>{' '}
                  {/* The service edits one comment of its own, so the time of the edit is shown. */}
                  <Ago at={comment.updatedAt} />
                </p>
                <Markdown
                  text={comment.byService ? textForReader(comment.body, reader) : comment.body}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {/* The box appears after the comments, so that it does not move under the pointer. */}
      {!comments.isPending && <MessageBox {...{ identifier, goals }} />}
      {goals.length === 0 && <p class="quiet">Write comments in the box below the log.</p>}
    </section>
  );
}

/**
 * Names are shown unchanged; a text in place of a name, such as `you`, starts with a capital
 * letter.
 */
function authorText(author: string, reader: Reader): string {
  const name = actorText(author, reader);
  return name === author ? author : asSentence(name);
}
