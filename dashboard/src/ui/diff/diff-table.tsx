import { useMemo, useState } from 'preact/hooks';
import {
  type ChangeData,
  Decoration,
  Diff,
  getChangeKey,
  Hunk,
  type HunkData,
} from 'react-diff-view';
import { Icon } from '../marks/icon.tsx';
import { asHunkData, placeOf } from './as-hunk-data.ts';
import type { DiffLayout } from './diff-layout.ts';
import { stepLine } from './show-file.ts';
import { CommentField, CommentOnLine } from './comment-on-line.tsx';
import type { MarkBudget } from './highlight/mark-budget.ts';
import type { DiffFile } from './parse-diff.ts';
import type { Review } from './review.ts';
import { useTokens } from './highlight/use-tokens.ts';

type DiffTableProps = {
  file: DiffFile;
  review: Review | undefined;
  layout: DiffLayout;
  budget: MarkBudget;
};

const CLASSES = { insert: 'line add', delete: 'line del', normal: 'line' } as const;

/** The lines of one file with their numbers, the changes within them, and their comments. */
export function DiffTable({ file, review, layout, budget }: DiffTableProps) {
  const hunks = useMemo(() => file.hunks.map(asHunkData), [file]);
  const tokens = useTokens(file.path, hunks, budget);
  const [writing, setWriting] = useState<ReadonlySet<string>>(
    () => new Set(begunLines(file.path, hunks, review)),
  );
  const stopWriting = (ended: string) =>
    setWriting((known) => new Set([...known].filter((key) => key !== ended)));
  return (
    <div
      class="hunks"
      tabIndex={0}
      role="group"
      aria-label={`Lines of ${file.path}`}
      onKeyDown={stepLine}
    >
      <Diff
        viewType={layout}
        diffType="modify"
        hunks={hunks}
        tokens={tokens}
        widgets={widgets({ file, review, hunks, writing, stopWriting })}
        generateLineClassName={({ changes }) => (layout === 'split' ? 'line' : classOf(changes[0]))}
        renderGutter={({ change, side, renderDefault }) => (
          <>
            {renderDefault()}
            {review !== undefined && isOwnSide(change, side, layout) && (
              <CommentButton
                path={file.path}
                change={change}
                onClick={() => setWriting((known) => new Set(known).add(getChangeKey(change)))}
              />
            )}
          </>
        )}
      >
        {(shown) => shown.flatMap((hunk, position) => [head(hunk), ...body(hunk, file, position)])}
      </Diff>
    </div>
  );
}

function head(hunk: HunkData) {
  return (
    <Decoration key={`head ${hunk.content}`}>
      <div class="hunk-head">{hunk.content}</div>
    </Decoration>
  );
}

function body(hunk: HunkData, file: DiffFile, position: number) {
  const note = file.hunks[position]?.lines.find(({ kind }) => kind === 'note');
  const lines = <Hunk key={hunk.content} hunk={hunk} />;
  if (note === undefined) return [lines];
  return [
    lines,
    <Decoration key={`note ${hunk.content}`}>
      <div class="hunk-head">{note.text}</div>
    </Decoration>,
  ];
}

/**
 * Whether this side of a line shows the button for comments: exactly one of its two numbers does.
 */
function isOwnSide(change: ChangeData, side: 'old' | 'new', layout: DiffLayout): boolean {
  return side === (layout === 'split' && change.type === 'delete' ? 'old' : 'new');
}

function classOf(change: ChangeData | undefined | null): string {
  return CLASSES[change?.type ?? 'normal'];
}

function CommentButton(props: { path: string; change: ChangeData; onClick: () => void }) {
  return (
    <button
      type="button"
      class="line-comment"
      aria-label={`Comment line ${placeOf(props.change).line} of ${props.path}`}
      onClick={props.onClick}
    >
      <Icon name="message" size={12} />
    </button>
  );
}

/** The lines with an unfinished comment. */
function begunLines(path: string, hunks: readonly HunkData[], review: Review | undefined) {
  if (review === undefined) return [];
  return hunks
    .flatMap(({ changes }) => changes)
    .filter((change) => review.draftOf({ path, ...placeOf(change) }) !== '')
    .map(getChangeKey);
}

type WidgetsInput = Omit<DiffTableProps, 'layout' | 'budget'> & {
  hunks: readonly HunkData[];
  writing: ReadonlySet<string>;
  stopWriting: (key: string) => void;
};

/** The comments below each line, and the field for another one. */
function widgets({ file, review, hunks, writing, stopWriting }: WidgetsInput) {
  if (review === undefined) return {};
  const { path } = file;
  const written = review.comments.filter((comment) => comment.path === path);
  const rows = hunks
    .flatMap(({ changes }) => changes)
    .flatMap((change) => {
      const key = getChangeKey(change);
      const place = placeOf(change);
      const comments = written.filter(
        ({ side, line }) => side === place.side && line === place.line,
      );
      if (comments.length === 0 && !writing.has(key)) return [];
      const end = () => {
        review.onDraft({ path, ...place }, '');
        stopWriting(key);
      };
      const row = (
        <>
          {comments.map((comment) => (
            <CommentOnLine key={comment.id} comment={comment} onRemove={review.onRemove} />
          ))}
          {writing.has(key) && (
            <CommentField
              begun={review.draftOf({ path, ...place })}
              onText={(text) => review.onDraft({ path, ...place }, text)}
              onCancel={end}
              onDone={(text) => {
                review.onAdd({ path, ...place, code: change.content, text });
                end();
              }}
              sending={
                review.sending && {
                  label: review.sending.label,
                  onSend: (text) => {
                    review.sending?.onSend({ path, ...place, code: change.content, text });
                    end();
                  },
                }
              }
            />
          )}
        </>
      );
      return [[key, row] as const];
    });
  return Object.fromEntries(rows);
}
