import { parseArgs } from 'node:util';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import { dockerPart } from '../support/docker.ts';
import { runCommand, say } from '../support/command/run-command.ts';
import { WrongUse } from '../support/command/wrong-use.ts';
import type { Cell } from './cell.ts';
import { CELLS_OF_COST } from './cells-of-cost.ts';
import { CELLS_OF_HOSTILITY } from './cells-of-hostility.ts';
import { CELLS_OF_LOSS } from './cells-of-loss.ts';
import { CELLS_OF_REFUSAL } from './cells-of-refusal.ts';
import { CELLS_OF_WORK } from './cells-of-work.ts';
import { type EngineUnderTest, openEngineWorld } from './engine-world.ts';

// `npm run engines`: what each engine shows with its real program, in a container, on this machine.
const ENGINES: readonly EngineUnderTest[] = [
  { name: 'codex', wireApi: 'responses' },
  { name: 'opencode', wireApi: 'chat' },
  { name: 'claude', wireApi: 'messages' },
];
const CELLS: readonly Cell[] = [
  ...CELLS_OF_WORK,
  ...CELLS_OF_LOSS,
  ...CELLS_OF_REFUSAL,
  ...CELLS_OF_HOSTILITY,
  ...CELLS_OF_COST,
];
const HELP = `Shows what each agent engine does, with its real program in a container.

  npm run engines [-- --engine NAMES] [-- --cell TEXT] [-- --image IMAGE]

  --engine NAMES  only these, separated by commas (${ENGINES.map(({ name }) => name).join(', ')})
  --cell TEXT     only what has this text in its name
  --image IMAGE   sandbox image that has the engines (default: this version's own)

The result is a table and, as the last line, the same as JSON. Exit codes: 0 everything was shown,
1 something was not or there is no Docker, 2 wrong use.
`;

type Result = { engine: string; cell: string; ok: boolean; seen: string; ms: number };

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      cell: { type: 'string' },
      image: { type: 'string', default: defaultSandboxImage },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return true;
  }
  const engines = chosenEngines(values.engine);
  const cells = CELLS.filter(({ name }) => name.includes(values.cell ?? ''));
  if (cells.length === 0) throw new WrongUse(`no cell has "${values.cell}" in its name`);
  const docker = await dockerPart();
  if (!docker.available) throw new Error(docker.reason);
  const results: Result[] = [];
  for (const engine of engines) results.push(...(await runEngine(engine, cells, values.image)));
  process.stdout.write(`${tableOf(results)}\n${JSON.stringify(results)}\n`);
  return results.every(({ ok }) => ok);
}

function chosenEngines(names: string | undefined): readonly EngineUnderTest[] {
  if (names === undefined) return ENGINES;
  return names.split(',').map((name) => {
    const found = ENGINES.find((engine) => engine.name === name.trim());
    if (found === undefined) throw new WrongUse(`no engine "${name}"`);
    return found;
  });
}

async function runEngine(
  engine: EngineUnderTest,
  cells: readonly Cell[],
  image: string,
): Promise<Result[]> {
  const world = await openEngineWorld(engine, { image });
  try {
    const results: Result[] = [];
    for (const cell of cells) {
      const startedMs = performance.now();
      const shown = await (
        cell.alone === true ? showAlone(cell, engine, image) : cell.show(world)
      ).then(
        (seen) => ({ ok: true, seen }),
        (error: unknown) => ({ ok: false, seen: String(error) }),
      );
      const ms = Math.round(performance.now() - startedMs);
      results.push({ engine: engine.name, cell: cell.name, ...shown, ms });
      const how = shown.ok ? 'ok' : 'NOT SHOWN';
      say(`${engine.name}: ${cell.name}: ${how} (${shown.seen}), ${ms} ms`);
    }
    return results;
  } finally {
    await world.close();
  }
}

async function showAlone(cell: Cell, engine: EngineUnderTest, image: string): Promise<string> {
  const world = await openEngineWorld(engine, { image });
  try {
    return await cell.show(world);
  } finally {
    await world.close();
  }
}

function tableOf(results: readonly Result[]): string {
  const engines = [...new Set(results.map(({ engine }) => engine))];
  const cells = [...new Set(results.map(({ cell }) => cell))];
  const rows = cells.map((cell) => [
    cell,
    ...engines.map((engine) => {
      const found = results.find((one) => one.engine === engine && one.cell === cell);
      return found === undefined ? '' : found.ok ? found.seen : 'NOT SHOWN';
    }),
  ]);
  const all = [['', ...engines], ...rows];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  return all
    .map((row) => row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '))
    .join('\n');
}

await runCommand('engines', main);
