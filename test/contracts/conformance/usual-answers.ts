/** Pages that no list gives. */
export const LIMITS = ['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=100000'];
export const OFFSETS = ['offset=-1', 'offset=x'];
/** An agent engine may be absent, refuse, or be too old: each has its status. */
export const ENGINE = [200, 404, 501, 502, 503];
