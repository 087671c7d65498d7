import type { ConformanceClient } from './conformance-client.ts';

/** What the checks of a run share: things made at its start and removed at its end. */
export type Fixture = {
  client: ConformanceClient;
  /** Part of every name that the run makes. */
  mark: string;
  /** An issue of the built-in tracker that nothing works on. */
  issue: string;
  templateId: string;
  secretKey: string;
  /** Attempt and issue that ran before this run; null where none did. */
  attempt: { attemptId: string; identifier: string } | null;
  notificationId: string | null;
  /** The overlay as it was found. */
  overlay: Record<string, unknown>;
  /** Where the route that the run made stands. */
  routeIndex(): Promise<number>;
};

export type Example = {
  params?: Record<string, string>;
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** One row of the interface's tables, and how to exercise it. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for parameters. */
  path: string;
  /** Statuses that a good request may get here. */
  expect: readonly number[];
  /** A good request; null: this deployment has nothing to try it on. */
  example?: (fixture: Fixture) => Example | null | Promise<Example>;
  /** Parameters that name nothing: 404. */
  unknown?: Record<string, string>;
  /** Bodies that must be refused with 400, by what is wrong with them. */
  badBodies?: Record<string, unknown>;
  /** A body that is checked beyond its own shape, such as a foreign one. */
  openBody?: boolean;
  /** Nothing of a body is read before its signature header was; its limit is another. */
  takesLongBodies?: boolean;
  /** Queries that must be refused with 400. */
  badQueries?: readonly string[];
  /** Runs before all other checks that remove things. */
  last?: boolean;
};
