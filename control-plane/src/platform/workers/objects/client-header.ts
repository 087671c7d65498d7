/**
 * Header in which the Worker tells a Durable Object the client's address with a request for a
 * stream. The Worker overwrites a value that the client sent there.
 */
export const CLIENT_HEADER = 'X-Switchyard-Client';
