import { parseArgs } from 'node:util';
import { defaultSandboxImage } from '../../runner/src/container/docker/sandbox-image.ts';
import { dockerPart } from '../support/docker.ts';
import { dockerCommandProblem } from './bare-container.ts';
import { type ControlPlaneStart, measureControlPlaneStart } from './control-plane-start.ts';
import { type EngineStart, measureEngineStart } from './engine-start.ts';

// `npm run bench`: ratios within one run, because absolute times say more about the machine.
const RATIO_GOAL = 1.5;
const HELP = `Measures how long things take on this machine.

  npm run bench [-- --repeats N] [-- --only start|engine] [-- --help]

  --repeats N   measurements of each kind, medians are shown (default 7)
  --only start  control plane: start until ready, resident memory
  --only engine lease to the agent engine's first answer in Docker, against a bare docker run

The result is a table and, as the last line, the same as JSON. Without a Docker daemon
or without the sandbox image, the Docker part is skipped and says so.
`;

type Row = [what: string, value: string];

class WrongUse extends Error {}

function options(): { repeats: number; only: string | undefined; help: boolean } {
  const { values } = parseArgs({
    options: {
      repeats: { type: 'string', default: '7' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const repeats = Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1 || repeats > 100) {
    throw new WrongUse('--repeats takes a whole number from 1 to 100');
  }
  const { only, help } = values;
  if (only !== undefined && only !== 'start' && only !== 'engine') {
    throw new WrongUse(`--only takes start or engine, not ${only}`);
  }
  return { repeats, only, help };
}

async function skipReason(): Promise<string | null> {
  const docker = await dockerPart();
  return docker.available ? await dockerCommandProblem(defaultSandboxImage) : docker.reason;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

function startRows(start: ControlPlaneStart): Row[] {
  return [
    ['control plane: first start until ready', ms(start.firstReadyMs)],
    ['control plane: later start until ready', ms(start.readyMs)],
    ['control plane: resident memory', `${Math.round(start.residentMib)} MiB`],
  ];
}

function engineRows(times: EngineStart): Row[] {
  const verdict = times.ratio <= RATIO_GOAL ? 'met' : 'missed';
  return [
    ['lease to first engine answer', ms(times.startMs)],
    ['  grant, journal, way to the model', ms(times.prepareMs)],
    ['  engine home, container', ms(times.containerMs)],
    ['  initialize answered', ms(times.initializeMs)],
    ['bare docker run to first engine answer', ms(times.bareMs)],
    [`ratio (goal ${RATIO_GOAL} or less: ${verdict})`, times.ratio.toFixed(2)],
    ['apart: clone from the warm mirror', ms(times.workspaceMs)],
    ['apart: one hook', ms(times.hookMs)],
  ];
}

function print(rows: readonly Row[], result: object): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, value] of rows) console.log(`${what.padEnd(width)}  ${value.padStart(9)}`);
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  console.log(JSON.stringify(result, rounded));
}

async function main(): Promise<void> {
  const { repeats, only, help } = options();
  if (help) return void process.stdout.write(HELP);
  const rows: Row[] = [];
  let controlPlane: ControlPlaneStart | null = null;
  let engine: EngineStart | { skipped: string } | null = null;
  if (only !== 'engine') {
    console.error(`starting the control plane, ${repeats} times afresh …`);
    controlPlane = await measureControlPlaneStart(repeats);
    rows.push(...startRows(controlPlane));
  }
  if (only !== 'start') {
    const skipped = await skipReason();
    if (skipped === null) {
      console.error(`running ${repeats + 1} attempts in Docker …`);
      engine = await measureEngineStart(defaultSandboxImage, repeats);
      rows.push(...engineRows(engine));
    } else {
      engine = { skipped };
      rows.push([`SKIPPED, Docker: ${skipped}`, '']);
    }
  }
  print(rows, { repeats, controlPlane, engine });
}

/** parseArgs names its own errors by code. */
function isWrongUse(error: unknown): boolean {
  if (error instanceof WrongUse) return true;
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = isWrongUse(error) ? 2 : 1;
}
