import { parentPort } from 'node:worker_threads';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import type { AddedText } from './added-lines.ts';

/** What the scanning thread receives. */
export type ScanWorkerRequest = { id: number; files: AddedText[] };
/** What it answers of each secret: `message` never holds the secret itself. */
export type FoundSecret = { path: string; line: number | null; rule: string; message: string };

/** A rule that meets one giant text takes long; secrets are short. */
const CHUNK_CHARACTERS = 512 * 1024;
const MAX_FOUND = 50;
const RULES = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }];

/** A thread of its own: rules that take long on a hostile text must not stop the runner. */
parentPort?.on('message', (request: ScanWorkerRequest) => {
  scan(request).then(
    (found) => parentPort?.postMessage({ id: request.id, found }, []),
    (error: unknown) => parentPort?.postMessage({ id: request.id, error: String(error) }, []),
  );
});

async function scan({ files }: ScanWorkerRequest): Promise<FoundSecret[]> {
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
      for (const { message, ruleId, loc } of messages) {
        const line = numbers[start + loc.start.line - 1] ?? null;
        found.push({ path, line, rule: ruleId, message: message.replace(/\*{8,}/g, '********') });
      }
      start = end;
    }
  }
  return found.slice(0, MAX_FOUND);
}
