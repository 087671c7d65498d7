/** Names of the secrets that the setup of the tracker stores. */
export const TRACKER_KEY_SECRET = 'TRACKER_KEY';
export const TRACKER_WEBHOOK_SECRET = 'TRACKER_WEBHOOK_SECRET';
/** Application and refresh token of a sign-in, as JSON. */
export const TRACKER_OAUTH_SECRET = 'TRACKER_OAUTH';
/** The sign-in in progress, as JSON. */
export const TRACKER_SIGN_IN_SECRET = 'TRACKER_SIGN_IN';
