import { listed, listedMax, people } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { MemberEntity, TeamEntity } from './entities.js';

const firstMadeFirst = { order: { id: 'ASC' }, take: listedMax } as const;

/** Names of the people and teams that work can be given to. */
export const PeopleHandlers = handlers(people, {
  members: async ({ entities }) => {
    const found = await entities((manager) =>
      manager.find(MemberEntity, { where: { active: true }, ...firstMadeFirst }),
    );
    const { all, truncated } = listed(found);
    return { members: all.map(({ id, email, name }) => ({ id, email, name })), truncated };
  },

  teams: async ({ entities }) => {
    const found = await entities((manager) => manager.find(TeamEntity, firstMadeFirst));
    const { all, truncated } = listed(found);
    return { teams: all.map(({ id, name }) => ({ id, name })), truncated };
  },
});
