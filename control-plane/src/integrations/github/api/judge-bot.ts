/**
 * The account of an issue's, comment's or review's author, as GitHub describes it in that object.
 */
export type Account = { login: string; type?: string | undefined };

export const UNNAMED_BOT = 'is a bot; name it in tracker.allowedBots to have it count';

/**
 * Classifies an account. Bots and Apps count only if they are named: one that answers agents would
 * keep them working for ever.
 */
export function judgeBot(
  { login, type }: Account,
  named: readonly string[],
): 'person' | 'named' | 'unnamed' {
  const name = login.toLowerCase();
  if (type?.toLowerCase() !== 'bot' && !name.endsWith('[bot]')) return 'person';
  return named.some((one) => one.trim().toLowerCase() === name) ? 'named' : 'unnamed';
}
