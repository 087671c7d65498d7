/** Names under which the setup of the tracker keeps its secrets. */
export const TRACKER_KEY_SECRET = 'TRACKER_KEY';
export const TRACKER_WEBHOOK_SECRET = 'TRACKER_WEBHOOK_SECRET';
/** Application and refresh token of a sign-in, as JSON. */
export const TRACKER_OAUTH_SECRET = 'TRACKER_OAUTH';
/** The sign-in that is under way, as JSON. */
export const TRACKER_SIGN_IN_SECRET = 'TRACKER_SIGN_IN';
