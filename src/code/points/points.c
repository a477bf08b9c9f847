#include "code/points/points.h"

const char *point_trouble_text(enum point_trouble trouble)
{
	static const char *const texts[POINT_TROUBLES] = {
		[POINT_PLACED] = "",
		[POINT_NOT_RELOCATED] = "the function cannot be relocated",
		[POINT_STAYS] = "the instruction cannot be moved",
		[POINT_NO_PLACE] = "there is no such place",
		[POINT_TOO_LONG] = "the code is too long",
		[POINT_COUNTED] =
			("a function whose blocks, calls or times are measured is not "
			 "replaced"),
		[POINT_UNREADABLE] = "the instruction does not have such a value",
	};

	return trouble < POINT_TROUBLES ? texts[trouble] : "";
}
