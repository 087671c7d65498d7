import { parentPort } from 'node:worker_threads';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import type { AddedText } from './added-lines.ts';

/** A message to this thread. `knownSecrets`: values that must never leave, as the provider's key. */
export type FindSecretsRequest = {
  id: number;
  files: AddedText[];
  knownSecrets: readonly string[];
};

/** `secret`: one that a rule of secretlint knows by its form. `message` never holds the secret itself. */
export type FoundSecret = {
  rule: 'secret' | 'known_secret';
  path: string;
  line: number | null;
  message: string;
};

/** Rules are slow on one giant text; secrets are short. */
const CHUNK_CHARACTERS = 512 * 1024;
const MAX_FOUND = 50;
const RULES = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }];

/** Runs in a separate thread, so that slow rules on hostile text cannot block the runner. */
parentPort?.on('message', (request: FindSecretsRequest) => {
  findSecrets(request).then(
    (found) => parentPort?.postMessage({ id: request.id, found }, []),
    (error: unknown) => parentPort?.postMessage({ id: request.id, error: String(error) }, []),
  );
});

async function findSecrets({ files, knownSecrets }: FindSecretsRequest): Promise<FoundSecret[]> {
  return [...findKnownSecrets(files, knownSecrets), ...(await findByRules(files))];
}

function findKnownSecrets(
  files: readonly AddedText[],
  knownSecrets: readonly string[],
): FoundSecret[] {
  return files.flatMap(({ path, lines, numbers }) => {
    const index = lines.findIndex((text) => knownSecrets.some((value) => text.includes(value)));
    if (index < 0) return [];
    const message = 'contains a credential of this installation';
    return [{ rule: 'known_secret', path, line: numbers[index] ?? null, message }];
  });
}

async function findByRules(files: readonly AddedText[]): Promise<FoundSecret[]> {
  const found: FoundSecret[] = [];
  for (const { path, lines, numbers } of files) {
    for (let start = 0; start < lines.length && found.length < MAX_FOUND;) {
      let end = start;
      let size = 0;
      while (end < lines.length && (end === start || size < CHUNK_CHARACTERS)) {
        size += (lines[end]?.length ?? 0) + 1;
        end += 1;
      }
      const { messages } = await lintSource({
        source: {
          filePath: path,
          content: lines.slice(start, end).join('\n'),
          contentType: 'text',
        },
        options: { config: { rules: RULES }, maskSecrets: true, noPhysicFilePath: true },
      });
      for (const { message, loc } of messages) {
        const line = numbers[start + loc.start.line - 1] ?? null;
        found.push({ rule: 'secret', path, line, message: message.replace(/\*{8,}/g, '********') });
      }
      start = end;
    }
  }
  return found.slice(0, MAX_FOUND);
}
