import { Controller, Get, Res } from '@nestjs/common';
import { Health, Metrics, type Probe } from '@postroom/service';
import type { FastifyReply } from 'fastify';

/** Liveness, readiness and metrics of the process. */
@Controller()
export class ProbesController {
  constructor(
    private readonly health: Health,
    private readonly metrics: Metrics,
  ) {}

  @Get('healthz')
  async healthz(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.health.healthz());
  }

  @Get('readyz')
  async readyz(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.health.readyz());
  }

  @Get('metrics')
  async exposition(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, body } = await this.metrics.expose();
    await reply.type(contentType).send(body);
  }
}

const send = async (reply: FastifyReply, { status, body }: Probe): Promise<void> => {
  await reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
};
