import { Controller, Get, Res } from '@nestjs/common';
import { mountPoints } from '@postroom/contracts';
import type { FastifyReply } from 'fastify';
import { BrowserChallenges, Passkeys } from '../../access/index.js';

/** `GET /session/passkey`: options for a sign-in with a passkey, which nothing is stored of. */
@Controller(`${mountPoints.member}/session`)
export class PasskeyOptionsController {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly challenges: BrowserChallenges,
  ) {}

  @Get('passkey')
  async read(@Res() reply: FastifyReply): Promise<void> {
    const options = await this.passkeys.use();
    const cookie = await this.challenges.cookieFor('passkey', { challenge: options.challenge });
    await reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).send({ options });
  }
}
