import type { LeaseTimes } from '@switchyard/shared/protocol/lease-times';
import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';
import type { Random } from './random.ts';
import type { SimDatabaseOptions } from './sim-database.ts';
import type { SimHost } from './sim-host.ts';
import type { SimPlane } from './sim-plane.ts';
import type { VisibleEffect } from './unreliable-edge.ts';

/** What a simulated control plane needs of its world and tells it. */
export type PlaneWorld = {
  host: SimHost;
  random: Random;
  path: string;
  variables: Record<string, string>;
  audience: string;
  leases: LeaseTimes;
  database: Pick<SimDatabaseOptions, 'faults' | 'rewrite' | 'answersEarly'>;
  trackerFails: () => boolean;
  trackerIgnoresMoves: () => boolean;
  /** Both instances believe that they lead: for the mutation. */
  everyoneLeads: boolean;
  committed(plane: SimPlane, statements: Parameters<SimDatabaseOptions['committed']>[0]): void;
  heard(plane: SimPlane, runnerId: string, messages: RunnerMessage[]): void;
  said(plane: SimPlane, runnerId: string, messages: ControlPlaneMessage[]): void;
  effect(plane: SimPlane, effect: VisibleEffect): void;
  /** A secret was asked for. */
  keyRead(name: string, reader: string | undefined): void;
  /** The service has visibly moved an issue. */
  moved(issueId: string, state: string): void;
  log(plane: SimPlane, line: string): void;
};
