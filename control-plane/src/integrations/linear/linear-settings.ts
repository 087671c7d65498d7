import type { StateRoles } from '../../ports/tracker/tracker.ts';

export const LINEAR_TRACKER = 'linear';

/** Configuration, asked anew on every use because a reload may change it. */
export type LinearSettings = {
  /** Address of the GraphQL endpoint. */
  endpoint(): string;
  /** Value of the `Authorization` header; null while none is set. */
  credential(): Promise<string | null>;
  /** Gets a new credential for one that is over; false where that cannot be. */
  renew?(): Promise<boolean>;
  /** Roles as configured; no active states while another tracker is polled. */
  roles(): StateRoles;
  /** What is polled and who may give work. Left out or empty: no restriction. */
  scope(): LinearScope;
};

export type LinearScope = {
  projectSlug?: string | undefined;
  /** Key of the team, for example `ENG`. */
  team?: string | undefined;
  /** `me`, an id, an email address or a name. */
  assignee?: string | undefined;
  /** Ids, email addresses or names. */
  allowedAuthors?: readonly string[] | undefined;
  /** Apps whose words count as well. */
  allowedBots?: readonly string[] | undefined;
};
