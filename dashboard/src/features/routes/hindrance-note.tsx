import type { GitHindrance } from '@switchyard/shared/api/git-hindrance';
import { CommandLine } from '../../ui/command-line.tsx';
import { Icon } from '../../ui/marks/icon.tsx';

/** A problem with a repository, and the commands that solve it. */
export function HindranceNote({ hindrance }: { hindrance: GitHindrance }) {
  const { message, summary = message, commands = [] } = hindrance;
  return (
    <div class="hindrance">
      <p class="note warning" dir="auto">
        <Icon name="warning" size={14} />
        <span>{summary}</span>
      </p>
      {commands.map(({ about, command }) => (
        <div key={command}>
          <p dir="auto">{about}:</p>
          <CommandLine command={command} />
        </div>
      ))}
    </div>
  );
}
