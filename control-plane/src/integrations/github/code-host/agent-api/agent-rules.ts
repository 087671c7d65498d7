import { inertMarkdown } from '@switchyard/shared/markdown/inert-markdown';
import { inertReferences } from '@switchyard/shared/text/inert-text';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { z } from 'zod';

const MAX_TEXT_CHARS = 60_000;

/**
 * An agent may repeat strangers' text, so the text is made inert. Code stays, including
 * suggestions.
 */
const Text = z
  .string()
  .min(1)
  .max(MAX_TEXT_CHARS)
  .transform((text) => inertMarkdown(text, { maxChars: MAX_TEXT_CHARS, code: 'kept' }));
const CommentBody = z.strictObject({ body: Text });
const Path = z.string().min(1).max(1_000);
const Side = z.enum(['LEFT', 'RIGHT']);
const OnLine = {
  body: Text,
  path: Path,
  line: z.int().min(1).optional(),
  side: Side.optional(),
  start_line: z.int().min(1).optional(),
  start_side: Side.optional(),
};
const LineComment = z.strictObject({ ...OnLine, commit_id: z.string().max(64) });
/** Excludes approvals and rejections, which only people give. */
const Review = z.strictObject({
  body: Text.optional(),
  event: z.literal('COMMENT'),
  commit_id: z.string().max(64).optional(),
  comments: z.array(z.strictObject(OnLine)).max(50).optional(),
});
const Reaction = z.strictObject({
  content: z.enum(['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']),
});
const OwnPull = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(256)
    .transform((title) => inertReferences(plainLine(title)))
    .optional(),
  // A merge turns this text into a commit message.
  body: z
    .string()
    .max(MAX_TEXT_CHARS)
    .transform((text) => inertMarkdown(text, { maxChars: MAX_TEXT_CHARS }))
    .optional(),
});

/** One kind of request that an agent may make below its repository. */
export type AgentRule = {
  method: 'GET' | 'POST' | 'PATCH';
  /** Path below the repository; `N` is a number, `*` a segment, `**` the rest. */
  path: string;
  body?: z.ZodType;
  /** Only for the issue's own pull request. */
  own?: true;
  /** The response is a log, of which the end is kept. */
  isLog?: true;
};

const READABLE = [
  '',
  '/readme',
  '/contents',
  '/contents/**',
  '/branches',
  '/branches/*',
  '/git/ref/**',
  '/tags',
  '/releases',
  '/releases/latest',
  '/labels',
  '/milestones',
  '/commits',
  '/commits/*',
  '/commits/*/check-runs',
  '/commits/*/check-suites',
  '/commits/*/status',
  '/commits/*/comments',
  '/compare/**',
  '/check-runs/N',
  '/check-runs/N/annotations',
  '/actions/runs',
  '/actions/runs/N',
  '/actions/runs/N/jobs',
  '/actions/jobs/N',
  '/issues',
  '/issues/N',
  '/issues/N/comments',
  '/issues/N/labels',
  '/issues/comments/N',
  '/pulls',
  '/pulls/N',
  '/pulls/N/files',
  '/pulls/N/commits',
  '/pulls/N/comments',
  '/pulls/N/reviews',
  '/pulls/N/reviews/N',
  '/pulls/N/reviews/N/comments',
  '/pulls/comments/N',
];

/**
 * All requests that an agent may make to GitHub. Labels, states, merges, approvals and new issues
 * are excluded on purpose: they start or end work, which only people may do.
 */
export const AGENT_RULES: readonly AgentRule[] = [
  ...READABLE.map((path): AgentRule => ({ method: 'GET', path })),
  { method: 'GET', path: '/actions/jobs/N/logs', isLog: true },
  { method: 'POST', path: '/issues/N/comments', body: CommentBody },
  { method: 'POST', path: '/pulls/N/comments', body: LineComment },
  { method: 'POST', path: '/pulls/N/comments/N/replies', body: CommentBody },
  { method: 'POST', path: '/pulls/N/reviews', body: Review },
  { method: 'POST', path: '/issues/N/reactions', body: Reaction },
  { method: 'POST', path: '/issues/comments/N/reactions', body: Reaction },
  { method: 'POST', path: '/pulls/comments/N/reactions', body: Reaction },
  { method: 'PATCH', path: '/pulls/N', body: OwnPull, own: true },
];

/** Whether a rule's path matches the given decoded segments. */
export function fits(rule: AgentRule, given: readonly string[]): boolean {
  const wanted = rule.path.split('/').slice(1);
  const isOpen = wanted.at(-1) === '**';
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((part, at) => {
    const segment = given[at] ?? '';
    if (part === 'N') return /^[1-9][0-9]{0,18}$/.test(segment);
    if (part === '*' || part === '**') return segment !== '';
    return part === segment;
  });
}
