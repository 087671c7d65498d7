import { z } from 'zod';

/** Identifier of a tracker's issue in paths, for example `SY-12`. */
export const IssueIdentifier = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9]*-[0-9]+$/)
  .max(64);
export type IssueIdentifier = z.infer<typeof IssueIdentifier>;

/**
 * Kinds of the product's own ids: a prefix that names the kind, then a time-ordered unique part.
 */
export type IdKind =
  | 'iss'
  | 'att'
  | 'run'
  | 'req'
  | 'pr'
  | 'out'
  | 'cmt'
  | 'chk'
  | 'ses'
  | 'call'
  | 'ntf'
  | 'arun'
  | 'alh'
  | 'tpl'
  | 'tok';
