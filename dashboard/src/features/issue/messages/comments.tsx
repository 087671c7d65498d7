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
  /** Where the box below them sends to; none: it stands elsewhere on the page. */
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
                  {/* The service keeps one comment and edits it: what it says is from then. */}
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
      {/* Below them, so not before they are there: what one points at must not move away. */}
      {!comments.isPending && <MessageBox {...{ identifier, goals }} />}
      {goals.length === 0 && <p class="quiet">Write comments in the box below the log.</p>}
    </section>
  );
}

/** Names stand as they are; what stands for nobody's name begins a line here. */
function authorText(author: string, reader: Reader): string {
  const words = actorText(author, reader);
  return words === author ? author : asSentence(words);
}
