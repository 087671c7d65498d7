/** Header with the client's address as the Worker sees it; it replaces a header from the client. */
export const CLIENT_HEADER = 'X-Switchyard-Client';
