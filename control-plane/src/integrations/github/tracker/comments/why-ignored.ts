import type { Speaker } from '../../api/github-people.ts';

/** Whose words on issues count. */
export type CommentRules = {
  ownLogin: () => Promise<string>;
  /** Null: the word counts in the repository; else why not. */
  whyNot: (speaker: Speaker) => Promise<string | null>;
  /** Logins whose words count; empty: everybody who may write to the repository. */
  allowedAuthors: readonly string[];
  /** Bots that are named count beside these. */
  isNamedBot: (speaker: Speaker) => boolean;
};

/** Null: the word counts. `ours`: this service said it. Else why not, in words. */
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
