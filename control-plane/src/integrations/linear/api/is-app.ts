/** Email addresses that Linear generates for apps and integrations. */
const APP_ADDRESS = /@(?:oauthapp|integration|linear)\.linear\.app$/i;

/** Whether a user is an app or an integration; webhooks show that only by the address. */
export function isApp({ email }: { email?: string | null | undefined }): boolean {
  return APP_ADDRESS.test(email?.trim() ?? '');
}
