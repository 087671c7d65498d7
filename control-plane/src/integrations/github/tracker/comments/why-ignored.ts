import type { Speaker } from '../../api/github-people.ts';

/** How to decide whose comments on issues count. */
export type CommentRules = {
  ownLogin: () => Promise<string>;
  /** Why an author's comments do not count in the repository; null when they do. */
  whyNot: (speaker: Speaker) => Promise<string | null>;
  /** Only logins whose comments may count; empty: any. `whyNot` must admit them as well. */
  allowedAuthors: readonly string[];
  /** Whether an author is a bot whose comments count in addition. */
  isNamedBot: (speaker: Speaker) => boolean;
};

/** Why a comment does not count, for people; `ours` for this service's own; null when it counts. */
export async function whyIgnored(
  { ownLogin, whyNot, allowedAuthors, isNamedBot }: CommentRules,
  speaker: Speaker,
): Promise<{ ours: true } | { ours: false; why: string } | null> {
  const login = speaker.login.toLowerCase();
  if (login === (await ownLogin()).toLowerCase()) return { ours: true };
  const allowed = allowedAuthors.map((name) => name.trim().toLowerCase());
  if (allowed.length > 0 && !allowed.includes(login) && !isNamedBot(speaker)) {
    return { ours: false, why: 'is not in tracker.allowedAuthors' };
  }
  const why = await whyNot(speaker);
  return why === null ? null : { ours: false, why };
}
