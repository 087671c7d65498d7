import type { StateRoles } from '../../ports/tracker/tracker.ts';

export const LINEAR_TRACKER = 'linear';

/** Linear's configuration, read on every use because it may be reloaded. */
export type LinearSettings = {
  /** Address of the GraphQL endpoint. */
  endpoint(): string;
  /** Value of the `Authorization` header; null while none is set. */
  credential(): Promise<string | null>;
  /** Renews an expired credential; false when that is impossible. */
  renew?(): Promise<boolean>;
  /** Roles as configured; no active states while another tracker is polled. */
  roles(): StateRoles;
  /** Which issues are polled and who may give work. Left out or empty: no restriction. */
  scope(): LinearScope;
};

export type LinearScope = {
  projectSlug?: string | undefined;
  /** Key of the team, such as `ENG`. */
  team?: string | undefined;
  /** `me`, an id, an email address or a name. */
  assignee?: string | undefined;
  /** Ids, email addresses or names. */
  allowedAuthors?: readonly string[] | undefined;
  /** Apps whose comments count as well. */
  allowedBots?: readonly string[] | undefined;
};
