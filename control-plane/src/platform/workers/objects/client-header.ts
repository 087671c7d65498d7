/** Whom the Worker takes the client for; it replaces what a client may have put there itself. */
export const CLIENT_HEADER = 'X-Switchyard-Client';
