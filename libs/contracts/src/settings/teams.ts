import { AnswerOf, Done, PageOf } from '../answers.js';
import { Id, Ids, Instant, Text, isSeen, Version } from '../fields/index.js';
import { ChangeOf, VersionOf } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Teams of a workspace, and members of a team, at most. */
export const teamsMax = 1000;
const teamMembersMax = 1000;
const nameMax = 120;

const membersAbout = 'Its members, in the order given.';

/** Members of the workspace who share conversations. */
export class Team {
  @Id('tea', 'The team.')
  id!: string;

  @Text('Name.', { max: nameMax })
  name!: string;

  @Ids('mbr', membersAbout, { max: teamMembersMax })
  memberIds!: string[];

  @Instant('Creation.')
  createdAt!: string;

  @Version()
  version!: number;
}

/** Input of team creation. */
export class CreateTeam {
  @Text('Name; no other team has it, however it is written (letter case, width, spaces).', {
    max: nameMax,
    filled: true,
  })
  name!: string;

  @Ids('mbr', 'Its members, all active.', { max: teamMembersMax, default: [] })
  memberIds!: string[];
}

/** Input of team change; what is absent stays, `memberIds` replaces the whole list. */
export class UpdateTeam extends ChangeOf('tea', 'The team.', CreateTeam, ['name']) {
  @Ids('mbr', 'Its members, each active or in it before.', {
    max: teamMembersMax,
    optional: true,
  })
  memberIds?: string[];
}

/** One team. */
export class TeamAnswer extends AnswerOf('team', () => Team, 'The team.') {}

/** All teams. */
export class TeamList extends PageOf(() => Team, 'Teams, first made first.', teamsMax) {}

/** Teams, to which conversations are assigned. */
export const teams = family(
  'access',
  'teams',
  {
    list: operation({
      http: 'GET /teams',
      summary: 'List the teams',
      output: TeamList,
    }),
    create: operation({
      http: 'POST /teams',
      success: 201,
      summary: 'Make a team',
      input: CreateTeam,
      rule: isSeen('name'),
      output: TeamAnswer,
      problems: ['TEAM_EXISTS', 'TOO_MANY_TEAMS'],
    }),
    update: operation({
      http: 'PATCH /teams/:id',
      summary: 'Change a team',
      input: UpdateTeam,
      rule: isSeen('name'),
      output: TeamAnswer,
      problems: ['TEAM_NOT_FOUND', 'TEAM_EXISTS'],
    }),
    remove: operation({
      http: 'DELETE /teams/:id',
      summary: 'Remove a team; conversations keep its id until they are assigned again',
      input: VersionOf('tea', 'The team.'),
      output: Done,
      problems: ['TEAM_NOT_FOUND'],
    }),
  },
  { audience: 'member', admin: true },
);
