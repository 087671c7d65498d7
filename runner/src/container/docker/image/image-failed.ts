import { commandText } from '@switchyard/shared/text/command-text';
import { cutText } from '@switchyard/shared/text/cut-text';
import { messageOf } from '@switchyard/shared/message-of';
import { DockerError } from '../daemon/docker-call.ts';

const MAX_WORDS = 600;

/** The image was not built or pulled; the message says what happened, why, and gives advice. */
export class ImageFailed extends Error {
  override readonly name = 'ImageFailed';
  /**
   * A requirement of this machine is missing (the daemon, or access to it), as opposed to a failed
   * step.
   */
  readonly missingPart: boolean;

  constructor(message: string, { missingPart, cause }: { missingPart: boolean; cause: unknown }) {
    super(message, { cause });
    this.missingPart = missingPart;
  }
}

/** The build or pull was cancelled; nothing of it is left. */
export class ImageCancelled extends Error {
  override readonly name = 'ImageCancelled';
}

/** What was tried, which decides the advice. */
export type ImageAttempt =
  | { source: 'build'; image: string; baseImage: string }
  | { source: 'pull'; image: string };

/** Describes an error of a build or pull, with advice. */
export function imageFailure(error: unknown, attempt: ImageAttempt): ImageFailed {
  if (error instanceof ImageFailed) return error;
  const message = cutText(messageOf(error), MAX_WORDS);
  const what =
    attempt.source === 'build'
      ? `the sandbox image ${attempt.image} was not built`
      : `the image ${attempt.image} was not pulled`;
  const missingPart = error instanceof DockerError && error.status === null;
  return new ImageFailed(`${what}: ${message}. ${adviceOn(error, message, attempt)}`, {
    missingPart,
    cause: error,
  });
}

const NO_SPACE = /no space left|ENOSPC|disk quota exceeded/i;
const NO_PERMISSION = /EACCES|permission denied while trying|no permission for the daemon/i;
const NO_DAEMON = /no daemon answers|ECONNREFUSED|ENOENT.*\.sock/i;
const NOT_ALLOWED =
  /pull access denied|unauthorized|authentication required|denied: requested access/i;
const NOT_THERE =
  /manifest unknown|not found|no matching manifest|invalid reference|repository does not exist/i;
const NOT_REACHED =
  /no such host|dial tcp|i\/o timeout|connection refused|TLS handshake|certificate|EOF|server misbehaving|network is unreachable|Client\.Timeout/i;

function adviceOn(error: unknown, message: string, attempt: ImageAttempt): string {
  if (NO_SPACE.test(message)) {
    return 'Free about 3 GiB where the daemon keeps its images (docker system df), and try again';
  }
  if (NO_PERMISSION.test(message)) {
    return 'Add this user to the group of the daemon’s socket (usually docker), sign in again, and try again';
  }
  if (NO_DAEMON.test(message))
    return 'Start Docker, or set DOCKER_HOST to its socket, and try again';
  if (/npm pack failed|npm was not found/.test(message)) {
    return 'Check that this machine reaches its npm registry (npm ping), and try again';
  }
  if (/integrity is/.test(message)) {
    return 'The registry served another package than the pinned one: check the npm registry setting';
  }
  const isPull = attempt.source === 'pull' || isAboutBase(message, attempt.baseImage);
  const name = attempt.source === 'pull' ? attempt.image : attempt.baseImage;
  if (isPull && NOT_ALLOWED.test(message)) {
    return `The registry refuses ${name}, or has no such image: check its name, or pull it yourself (docker login, docker pull ${name})`;
  }
  if (isPull && NOT_THERE.test(message)) {
    return `There is no such image: check the name ${name}${otherBase(attempt)}`;
  }
  if (isPull && NOT_REACHED.test(message)) {
    return `The registry of ${name} is out of reach of the daemon: check its network and proxy${otherBase(attempt)}`;
  }
  if (/timed out|took over/.test(message))
    return 'Look at what the daemon is busy with (docker ps), and try again';
  if (/returned a non-zero code/.test(message)) {
    return 'The output above says why; Debian packages come from the mirror that the base image names';
  }
  return attempt.source === 'build'
    ? `${commandText('runner build-image', process.env)} shows every line of the build`
    : `docker pull ${name} shows more`;
}

/** Whether an error of a build is about an image from a registry, normally its base. */
function isAboutBase(message: string, baseImage: string): boolean {
  const [repository = baseImage] = baseImage.split(':');
  return message.includes(repository) || /registry|manifest|pull access/i.test(message);
}

function otherBase(attempt: ImageAttempt): string {
  return attempt.source === 'build' ? ', or name another Debian image with --base-image' : '';
}
