import type { Direction } from './held-socket-pair.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

export type Fault = {
  /** After the fault before it, milliseconds. */
  afterMs: number;
} & (
  | { kind: 'kill_plane'; downMs: number }
  | { kind: 'evict' }
  | { kind: 'kill_runner'; runner: number; downMs: number }
  | { kind: 'hold'; runner: number; direction: Direction; forMs: number; heal: 'deliver' | 'cut' }
  | { kind: 'cut'; runner: number }
);

export type ScheduleOptions = {
  seed: number;
  faults: number;
  runners: number;
  leaseTtlMs: number;
  /** Only what happens to a control plane of objects: evictions and restarts. */
  edge?: boolean;
};

/** What happens when: the same for the same options. */
export function faultSchedule(options: ScheduleOptions): Fault[] {
  const random = seededRandom(options.seed);
  return Array.from({ length: options.faults }, () => ({
    afterMs: random.between(500, 3_500),
    ...oneFault(random, options),
  }));
}

/** Distributes, because a union's members do not share their fields. */
type WithoutTime<F> = F extends unknown ? Omit<F, 'afterMs'> : never;

function oneFault(random: SeededRandom, options: ScheduleOptions): WithoutTime<Fault> {
  if (options.edge === true) {
    return random.next() < 0.6 ? { kind: 'evict' } : { kind: 'kill_plane', downMs: 0 };
  }
  const runner = random.between(0, options.runners - 1);
  const chance = random.next();
  if (chance < 0.35) {
    const downMs = random.pick([0, 0, random.between(1_000, 6_000)]);
    return { kind: 'kill_plane', downMs };
  }
  if (chance < 0.75) return { kind: 'kill_runner', runner, downMs: runnerDownMs(random, options) };
  if (chance < 0.93) return hold(random, runner, options);
  return { kind: 'cut', runner };
}

/** At once, a little later, or when its lease is long over and others have its work. */
function runnerDownMs(random: SeededRandom, { leaseTtlMs }: ScheduleOptions): number {
  const chance = random.next();
  if (chance < 0.5) return 0;
  if (chance < 0.8) return random.between(1_000, Math.floor(leaseTtlMs / 2));
  return leaseTtlMs + random.between(4_000, 8_000);
}

function hold(random: SeededRandom, runner: number, { leaseTtlMs }: ScheduleOptions) {
  const direction = random.pick<Direction>(['both', 'both', 'up', 'down']);
  const long = random.next() < 0.35;
  const forMs = long
    ? leaseTtlMs + random.between(1_000, 6_000)
    : random.between(800, Math.floor(leaseTtlMs / 3));
  const heal = random.pick(['deliver', 'cut'] as const);
  return { kind: 'hold' as const, runner, direction, forMs, heal };
}

/** One line for people. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'kill_plane':
      return `kill -9 control plane, back after ${fault.downMs} ms`;
    case 'evict':
      return 'evict every object';
    case 'kill_runner':
      return `kill -9 runner ${fault.runner}, back after ${fault.downMs} ms`;
    case 'hold':
      return `hold network of runner ${fault.runner} (${fault.direction}) for ${fault.forMs} ms, then ${fault.heal}`;
    case 'cut':
      return `cut connections of runner ${fault.runner}`;
  }
}
