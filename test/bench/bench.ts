import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import { runCommand } from '../support/command/run-command.ts';
import { wholeNumber } from '../support/command/whole-number.ts';
import { WrongUse } from '../support/command/wrong-use.ts';
import { dockerPart } from '../support/docker.ts';
import { dockerCommandProblem } from './bare-container.ts';
import { type ApiLoad, type ApiStart, measureApiLoad } from './api-load.ts';
import { type ControlPlaneStart, measureControlPlaneStart } from './control-plane-start.ts';
import { type Deliveries, deliveryRows, measureDeliveries } from './delivery-rows.ts';
import { type EdgeLoad, edgeRows, measureEdgeLoad } from './edge-load.ts';
import { type EngineStart, measureEngineStart } from './engine-start.ts';
import { type EventThroughput, measureEventThroughput } from './event-throughput.ts';
import { type FleetLoad, measureFleetLoad, type UseOverTime } from './fleet-load.ts';
import { measureProxyOverhead, type ProxyOverhead, proxyRows } from './proxy-overhead.ts';
import { measureRepositoryLoad, type RepositoryLoad } from './repos/repository-load.ts';
import { repositoryRows } from './repos/repository-rows.ts';
import { measureShimStart, type ShimStart, shimRows } from './shim-start.ts';
import { measureServiceStop, type ServiceStop, stopRows } from './service-stop.ts';
import { type GrantLatency, measureGrantLatency } from './grant-latency.ts';

// `npm run bench`: ratios within one run, because absolute times say more about the machine.
const START_RATIO_GOAL = 8;
const HELP_RATIO_GOAL = 3;
const MEMORY_GOAL_MIB = 90;
const RUNNER_MEMORY_GOAL_MIB = 80;
const RATIO_GOAL = 1.5;
const EVENT_RATIO_GOAL = 0.5;
const PARTS = [
  'start',
  'stop',
  'engine',
  'events',
  'grant',
  'proxy',
  'api',
  'deliveries',
  'fleet',
  'edge',
  'repos',
] as const;
type Part = (typeof PARTS)[number];
/** `fleet` and `repos` take minutes, `edge` needs a libSQL server: they run only when asked for. */
const USUAL_PARTS: readonly Part[] = [
  'start',
  'stop',
  'engine',
  'events',
  'grant',
  'proxy',
  'api',
  'deliveries',
];
const HELP = `Measures how long things take on this machine.

  npm run bench [-- --repeats N] [-- --only PART] [-- --help]

  --repeats N   measurements of each kind, medians are shown (default 7)
  --only start  the product as installed: start until ready, resident memory, --help; on the Node at
               SWITCHYARD_BENCH_NODE, else on this one
  --only stop   SIGTERM to the end of the service, with nothing to do and while an agent works
  --only engine lease to the agent engine's first answer in Docker, against a bare docker run;
                a container's start with and without our first process
  --only events events through socket, commit and acknowledgement, against raw inserts of the rows
  --only grant  issue created to granted at the runner
  --only proxy  model requests through the runner's proxy, against direct ones
  --only api    the API under ten clients, empty and with a long history, against a bare route
  --only deliveries  webhooks: acknowledged to granted, a burst of 10,000, requests per hour
  --only fleet  1,000 connected runners, idle and at 5,000 events/s; three minutes, only when asked
  --only edge  the Worker in workerd: processor time of a request and of a frame, frames a second
               before acknowledgements pass 250 ms, memory while a large blob passes; Linux, only
               when asked
  --only repos  issues of a repository with 60,000 files, against git worktree add, and a fetch of
               1 GB of history; minutes and 4 GB of disk in SWITCHYARD_BENCH_FOLDER (default: the
               folder for temporary files), only when asked

The result is a table and, as the last line, the same as JSON. Without a Docker daemon
or without the sandbox image, the Docker part is skipped and says so.
`;

type Row = [what: string, value: string];

function options(): { repeats: number; only: Part | undefined; help: boolean } {
  const { values } = parseArgs({
    options: {
      repeats: { type: 'string', default: '7' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const repeats = wholeNumber('--repeats', values.repeats, 100);
  const only = PARTS.find((part) => part === values.only);
  if (values.only !== undefined && only === undefined) {
    throw new WrongUse(`--only takes ${PARTS.join(', ')}, not ${values.only}`);
  }
  return { repeats, only, help: values.help };
}

async function skipReason(): Promise<string | null> {
  const docker = await dockerPart();
  return docker.available ? await dockerCommandProblem(defaultSandboxImage) : docker.reason;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

function startRows(start: ControlPlaneStart): Row[] {
  const ratio = (value: number) => (value / start.bareMs).toFixed(1);
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'missed');
  const within = (value: number, goal: number) =>
    `ratio to bare Node (goal ${goal} or less: ${verdict(value / start.bareMs <= goal)})`;
  const memory = (what: string, mib: number, goal: number): Row => [
    `${what}: resident memory (goal ${goal} MiB or less: ${verdict(mib <= goal)})`,
    `${Math.round(mib)} MiB`,
  ];
  return [
    ['bare Node: node -e 0', ms(start.bareMs)],
    ['command line: --help', ms(start.helpMs)],
    [`  ${within(start.helpMs, HELP_RATIO_GOAL)}`, ratio(start.helpMs)],
    ['control plane: first start until ready', ms(start.firstReadyMs)],
    ['control plane: later start until ready', ms(start.readyMs)],
    [`  ${within(start.readyMs, START_RATIO_GOAL)}`, ratio(start.readyMs)],
    ['control plane: start with 20,000 attempts', ms(start.fullReadyMs)],
    [`  ${within(start.fullReadyMs, START_RATIO_GOAL)}`, ratio(start.fullReadyMs)],
    memory('control plane', start.residentMib, MEMORY_GOAL_MIB),
    memory('runner', start.runnerResidentMib, RUNNER_MEMORY_GOAL_MIB),
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

const perS = (value: number): string => `${Math.round(value)}/s`;
const percent = (value: number): string => `${Math.round(value)} %`;

function eventRows(events: EventThroughput): Row[] {
  const goal = (ratio: number) => (ratio >= EVENT_RATIO_GOAL ? 'met' : 'missed');
  const wanted = `goal ${EVENT_RATIO_GOAL * 100} % or more`;
  return [
    [
      'events: one attempt, through socket and commit to acknowledgement',
      perS(events.oneAttemptPerS),
    ],
    [`events: ${events.attempts} attempts, the same`, perS(events.severalAttemptsPerS)],
    ['events: raw inserts of the same rows', perS(events.rawPerS)],
    ['events: raw inserts, a row and a commit for each frame', perS(events.rawFramesPerS)],
    [
      `events: ratio to the same rows (${wanted}: ${goal(events.ratio)})`,
      percent(events.ratio * 100),
    ],
    [
      `events: ratio to a row for each frame (${wanted}: ${goal(events.framesRatio)})`,
      percent(events.framesRatio * 100),
    ],
    ['events: rows stored for a frame', events.rowsPerFrame.toFixed(2)],
    ['events: processor time of a frame', `${events.frameCpuMs.toFixed(2)} ms`],
    ['events: processor time of a raw insert', `${events.rawFrameCpuMs.toFixed(2)} ms`],
    ['events: acknowledgement at a full window, p50', ms(events.ackP50Ms)],
    ['events: acknowledgement at a full window, p99', ms(events.ackP99Ms)],
  ];
}

function grantRows(grant: GrantLatency): Row[] {
  return [
    [`grant: issue created to granted, p50 of ${grant.issues}`, ms(grant.p50Ms)],
    ['grant: the same, p99', ms(grant.p99Ms)],
  ];
}

function apiRows(api: ApiLoad): Row[] {
  const { attempts, events } = api.history;
  const started = (what: string, { readyMs, residentMib }: ApiStart): Row => [
    `api: ${what}: start until ready, resident memory`,
    `${ms(readyMs)} ${Math.round(residentMib)} MiB`,
  ];
  const loads = (what: string, routes: ApiLoad['empty']): Row[] =>
    Object.entries(routes).map(([name, load]) => [
      `api: ${what}: ${name}, ${load.bytes} bytes (ratio to bare; p99, ratio; processor)`,
      `${perS(load.perS)} (${load.ratio.toFixed(2)}; ${load.p99Ms.toFixed(1)} ms, ${load.p99Ratio.toFixed(1)}; ${load.cpuMs.toFixed(2)} ms)`,
    ]);
  const long = `${attempts} attempts, ${events} events`;
  return [
    ['api: bare route (p99)', `${perS(api.bare.perS)} (${api.bare.p99Ms.toFixed(1)} ms)`],
    ...loads('empty', api.empty),
    ...loads(long, api.full),
    started('empty', api.emptyStart),
    started(long, api.fullStart),
  ];
}

function fleetRows(fleet: FleetLoad): Row[] {
  const used = (what: string, use: UseOverTime): Row[] => [
    [`${what}: processor, of one core`, `${use.cpuPercent.toFixed(1)} %`],
    [`${what}: resident memory`, `${Math.round(use.residentMib)} MiB`],
    [`${what}: rows changed`, String(use.rowsChanged)],
  ];
  const busy = `fleet: ${fleet.busyAttempts} attempts, ${fleet.busySeconds} s`;
  return [
    ...used(`fleet: no runner, ${fleet.idleSeconds} s`, fleet.alone),
    ...used(`fleet: ${fleet.runners} idle runners, ${fleet.idleSeconds} s`, fleet.idle),
    ...used(busy, fleet.busy),
    [`${busy}: offered`, perS(fleet.offeredPerS)],
    [`${busy}: acknowledged`, perS(fleet.sustainedPerS)],
    [`${busy}: waiting at the end`, String(fleet.backlog)],
    [`${busy}: acknowledgement, p50`, ms(fleet.ackP50Ms)],
    [`${busy}: acknowledgement, p99`, ms(fleet.ackP99Ms)],
  ];
}

function print(rows: readonly Row[], result: object): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, value] of rows) console.log(`${what.padEnd(width)}  ${value.padStart(9)}`);
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  console.log(JSON.stringify(result, rounded));
}

async function main(): Promise<boolean> {
  const { repeats, only, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const rows: Row[] = [];
  let controlPlane: ControlPlaneStart | null = null;
  let stop: ServiceStop | null = null;
  let engine: EngineStart | { skipped: string } | null = null;
  let shim: ShimStart | null = null;
  let events: EventThroughput | null = null;
  let grant: GrantLatency | null = null;
  let proxy: ProxyOverhead | null = null;
  let api: ApiLoad | null = null;
  let deliveries: Deliveries | null = null;
  let fleet: FleetLoad | null = null;
  let edge: EdgeLoad | null = null;
  let repos: RepositoryLoad | null = null;
  const wanted = only === undefined ? USUAL_PARTS : [only];
  if (wanted.includes('start')) {
    console.error(`starting the control plane, ${repeats} times afresh …`);
    controlPlane = await measureControlPlaneStart(repeats);
    rows.push(...startRows(controlPlane));
  }
  if (wanted.includes('stop')) {
    console.error(`stopping the service, ${repeats} times …`);
    stop = await measureServiceStop(repeats);
    rows.push(...stopRows(stop));
  }
  if (wanted.includes('engine')) {
    const skipped = await skipReason();
    if (skipped === null) {
      console.error(`running ${repeats + 1} attempts in Docker …`);
      engine = await measureEngineStart(defaultSandboxImage, repeats);
      rows.push(...engineRows(engine));
      shim = await measureShimStart(defaultSandboxImage, repeats);
      rows.push(...shimRows(shim));
    } else {
      engine = { skipped };
      rows.push([`SKIPPED, Docker: ${skipped}`, '']);
    }
  }
  if (wanted.includes('events')) {
    console.error(`streaming events, ${repeats} times …`);
    events = await measureEventThroughput(repeats);
    rows.push(...eventRows(events));
  }
  if (wanted.includes('grant')) {
    console.error('creating issues …');
    grant = await measureGrantLatency();
    rows.push(...grantRows(grant));
  }
  if (wanted.includes('proxy')) {
    console.error('asking a model through the proxy …');
    proxy = await measureProxyOverhead();
    rows.push(...proxyRows(proxy));
  }
  if (wanted.includes('api')) {
    console.error('asking the API …');
    api = await measureApiLoad();
    rows.push(...apiRows(api));
  }
  if (wanted.includes('deliveries')) {
    console.error('sending deliveries …');
    deliveries = await measureDeliveries();
    rows.push(...deliveryRows(deliveries));
  }
  if (wanted.includes('fleet')) {
    console.error('connecting a fleet, three minutes …');
    fleet = await measureFleetLoad();
    rows.push(...fleetRows(fleet));
  }
  if (wanted.includes('edge')) {
    console.error('loading the Worker …');
    edge = await measureEdgeLoad();
    rows.push(...edgeRows(edge));
  }
  if (wanted.includes('repos')) {
    console.error('generating large repositories …');
    repos = await measureRepositoryLoad(repeats);
    rows.push(...repositoryRows(repos));
  }
  const load = loadavg();
  rows.push(['load of the machine, 1, 5, 15 min', load.map((each) => each.toFixed(1)).join(' ')]);
  print(rows, {
    repeats,
    controlPlane,
    stop,
    engine,
    shim,
    events,
    grant,
    proxy,
    api,
    deliveries,
    fleet,
    edge,
    repos,
    load,
  });
  return true;
}

await runCommand('bench', main);
