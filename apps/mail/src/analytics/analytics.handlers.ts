import { Controller } from '@nestjs/common';
import { mailVolumes, type CountMailVolumes, type MailVolumes } from '@postroom/contracts';
import { Handles, type Reading } from '@postroom/operations';
import { countVolumes } from './count-volumes.js';

/** What the gateway gathers for a summary. */
@Controller()
export class AnalyticsHandlers {
  @Handles(mailVolumes.count)
  count(context: Reading, input: CountMailVolumes): Promise<MailVolumes> {
    return countVolumes(context, input);
  }
}
