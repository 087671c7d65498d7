/** Who asks for a mutation, for the audit row it must write. */
export type Caller = {
  /** `local`, a token's name, `runner:<id>` or `service`. */
  actor: string;
  source: 'API' | 'wizard' | 'CLI' | 'runner' | 'service';
  requestId: string | null;
  /** Request path, or the name of what runs. */
  path: string;
};

export const SERVICE_CALLER: Caller = {
  actor: 'service',
  source: 'service',
  requestId: null,
  path: '',
};
