import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { addComment } from '../../api/actions.ts';
import { commentsQuery } from '../../api/queries.ts';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Ago } from '../../ui/marks/ago.tsx';
import { QueryView } from '../../ui/data/query-view.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';

/** The built-in tracker's comments. A person's comment reaches the agent. */
export function Comments({ identifier }: { identifier: string }) {
  const comments = useQuery(commentsQuery(identifier));
  return (
    <section class="side-section">
      <h2>Comments</h2>
      <QueryView query={comments} skeletonLines={2}>
        {(list) => (
          <ul class="comments">
            {list.comments.map((comment) => (
              <li key={comment.id} class={comment.byService ? 'by-service' : ''}>
                <p class="comment-head">
                  <strong>{comment.author}</strong> <Ago at={comment.createdAt} />
                </p>
                <Markdown text={comment.body} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {/* Below them, so not before they are there: what one points at must not move away. */}
      {!comments.isPending && <CommentForm identifier={identifier} />}
    </section>
  );
}

function CommentForm({ identifier }: { identifier: string }) {
  const client = useQueryClient();
  const [body, setBody] = useState('');
  const send = useMutation({
    mutationFn: (text: string) => addComment(identifier, text),
    onSuccess: () => {
      setBody('');
      return client.invalidateQueries({ queryKey: ['comments', identifier] });
    },
  });
  return (
    <Form class="comment-form" onSubmit={() => send.mutate(body.trim())}>
      <textarea
        class="field"
        rows={2}
        maxLength={50_000}
        aria-label="Comment"
        placeholder="Comment for the agent or your team"
        value={body}
        onInput={(event) => setBody(event.currentTarget.value)}
      />
      <Problem error={send.error} />
      <Button type="submit" small disabled={body.trim() === '' || send.isPending}>
        Comment
      </Button>
    </Form>
  );
}
