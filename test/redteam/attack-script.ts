import { readFile } from 'node:fs/promises';
import { inside } from './world.ts';

/** What the script inside reports of one attack. */
export type Result = { succeeded: boolean; detail: string };
export type Results = Record<string, Result>;

/** A shell command that runs the attacks of `asked.names`. */
export async function attackCommand(asked: Record<string, unknown>): Promise<string> {
  const script = Buffer.from(await readFile(inside('attack.mjs'))).toString('base64');
  const words = Buffer.from(JSON.stringify(asked)).toString('base64');
  return `echo ${script} | base64 -d > /tmp/attack.mjs && node /tmp/attack.mjs ${words}`;
}

/** The reports in a text; later ones add to earlier ones. */
export function resultsIn(text: string): Results {
  const found = [...text.matchAll(/^RESULTS (\{.*\})\r?$/gm)].map(
    ([, json = '{}']) => JSON.parse(json) as Results,
  );
  return Object.assign({}, ...found);
}
